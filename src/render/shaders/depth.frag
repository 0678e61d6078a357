// SPDX-License-Identifier: MIT
out float depth;

void main()
{
	depth = min(depth_per_m * depth_m(), depth_far);
}
