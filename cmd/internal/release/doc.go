// Release makes what a release is: archives of the programs for each platform with
// what has to go with them, what is in them (SBOM), and the hashes of it all. It runs
// beside the source, as `make release` does, and makes the same bytes of the same
// source each time.
package main
