// SPDX-License-Identifier: MIT
flat in vec4 v_mask;
out vec4 color;

void main()
{
	color = v_mask.bgra;
}
