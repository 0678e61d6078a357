// SPDX-License-Identifier: MIT
out float depth;

void main()
{
	depth = min(depth_per_m * length(place()), depth_far);
}
