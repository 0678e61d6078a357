// SPDX-License-Identifier: MIT
out float depth;

void main()
{
	depth = min(depth_per_m / gl_FragCoord.w, depth_far); // w was the distance along forward
}
