// Package archive opens ZIP containers: uploaded archives and office documents. It
// also turns untrusted file names, of entries or from elsewhere, into names that are
// safe to show and to store.
//
// The sizes in a container's directory are not trusted. Unpacked bytes are counted as
// they are read, in sum over all entries and relative to the packed bytes.
package archive
