// SPDX-License-Identifier: MIT
out vec4 position;

void main()
{
	position = vec4((origin.xyz + depth_per_m * place()).xzy, 1); // Unreal's axes
}
