package office

import (
	"bytes"
	"crypto/md5"  //nolint:gosec // what the format says
	"crypto/rc4"  //nolint:gosec // what the format says
	"crypto/sha1" //nolint:gosec // what the format says
	"encoding/binary"
	"errors"
	"hash"
	"io"
	"math"
	"math/bits"
	"unicode/utf16"

	"github.com/richardlehane/mscfb"
	"golang.org/x/text/encoding/charmap"
)

// This file opens documents of Word 97 to 2003 that are encrypted with a password
// ([MS-DOC] 2.2.6): with RC4, as Word 97 and 2000 or as Windows's CryptoAPI has it, or
// obfuscated with XOR. Three streams of the compound file are encrypted in their places,
// but for the start of the main one, which says so, and that of the table, which says how.

const (
	docHead     = 68         // bytes of the main stream that are never encrypted
	docBlock    = 512        // bytes that are encrypted with the same key
	docBuffer   = 64 << 10   // whole blocks
	docSince    = 0x00c1     // nFib of Word 97; earlier ones have other streams
	docVersion  = 2          // where the main stream has nFib,
	docFlags    = 11         // the flags that follow,
	docKey      = 14         // and lKey
	isEncrypted = 1 << 0     // of the flags
	inTable1    = 1 << 1     //
	isXOR       = 1 << 7     //
	rc4Header   = 4 + 3*16   // bytes of version, salt, verifier and its hash
	xorPassword = 15         // characters that XOR makes use of
	algorithmOf = 0x00006801 // RC4
	hashOf      = 0x00008004 // SHA-1
)

// unlockDOC writes a copy of r in which the streams are decrypted.
func unlockDOC(r io.ReaderAt, streams map[string]*mscfb.File, password string, w Output) error {
	main := streams["WordDocument"]
	head := make([]byte, docHead)
	if _, err := io.ReadFull(main, head); err != nil {
		return errEncrypted
	}
	if head[docFlags]&isEncrypted == 0 || binary.LittleEndian.Uint16(head[docVersion:]) < docSince {
		return errEncryption
	}
	table := streams["0Table"]
	if head[docFlags]&inTable1 != 0 {
		table = streams["1Table"]
	}
	if table == nil {
		return errEncrypted
	}
	decrypt, about, err := openDocument(head, table, password)
	if err != nil {
		return err
	}
	size, err := io.Copy(w, io.NewSectionReader(r, 0, math.MaxInt64))
	if err != nil {
		return err
	}
	target, err := mscfb.New(struct {
		io.ReaderAt
		io.WriterAt
	}{r, w})
	if err != nil {
		return errEncrypted
	}
	head[docFlags] &^= isEncrypted | isXOR
	clear(head[docKey : docKey+4])
	targets := rootStreams(target)
	for name, start := range map[string][]byte{main.Name: head, table.Name: make([]byte, about), "Data": nil} {
		from, to := streams[name], targets[name]
		switch {
		case from == nil: // documents without pictures have no data
			continue
		case from.Size > size:
			return errEncrypted
		}
		if err := decryptStream(from, to, start, decrypt); err != nil {
			return err
		}
	}
	return nil
}

// decryptStream decrypts a stream to the same one of a copy. What start has is not
// encrypted, and written as it is here.
func decryptStream(from io.ReadSeeker, to io.Writer, start []byte, decrypt decrypter) error {
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return errEncrypted
	}
	buffer := make([]byte, docBuffer)
	for block := uint32(0); ; {
		n, err := io.ReadFull(from, buffer)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
			return errEncrypted
		}
		if n == 0 {
			return nil
		}
		for i := 0; i < n; i += docBlock {
			decrypt(block, buffer[i:min(i+docBlock, n)])
			block++
		}
		start = start[copy(buffer[:n], start):]
		if _, err := to.Write(buffer[:n]); err != nil {
			return err
		}
	}
}

// openDocument finds how the streams are decrypted, from the start of the main one and the
// table's, of which the first bytes say how (about).
func openDocument(head []byte, table io.Reader, password string) (decrypt decrypter, about uint32, err error) {
	key := binary.LittleEndian.Uint32(head[docKey:])
	if head[docFlags]&isXOR != 0 {
		decrypt, err = openXOR(key, password)
		return decrypt, 0, err
	}
	if key > maxInfo {
		return nil, 0, errEncrypted
	}
	info := make([]byte, key)
	if _, err := io.ReadFull(table, info); err != nil || key < rc4Header {
		return nil, 0, errEncrypted
	}
	secret := secretOf(password)
	switch major, minor := binary.LittleEndian.Uint16(info), binary.LittleEndian.Uint16(info[2:]); {
	case major == 1 && minor == 1:
		decrypt, err = openRC4(info[4:], secret)
	case major >= 2 && major <= 4 && minor == 2:
		decrypt, err = openCryptoAPI(info[8:], secret)
	default:
		err = errEncryption
	}
	return decrypt, key, err
}

// openRC4 reads salt, verifier and its hash ([MS-OFFCRYPTO] 2.3.6).
func openRC4(info, secret []byte) (decrypter, error) {
	const cut = 5 // bytes of each hash: the key has 40 bits
	salted := bytes.Join([][]byte{digest(md5.New, secret)[:cut], info[:16]}, nil)
	secret = digest(md5.New, bytes.Repeat(salted, 16))[:cut]
	return openStream(md5.New, info[16:32], info[32:48], func(block []byte) []byte {
		return digest(md5.New, secret, block)
	})
}

// openCryptoAPI reads a header, whose size comes first, and a verifier (2.3.5).
func openCryptoAPI(info, secret []byte) (decrypter, error) {
	const algorithm, hashed, keyBits, least = 8, 12, 16, 32
	const salt, verifier, sum, end = 4, 20, 40, 60
	size := int64(binary.LittleEndian.Uint32(info))
	info = info[4:]
	if size < least || size+end > int64(len(info)) {
		return nil, errEncrypted
	}
	number := func(at int) uint32 { return binary.LittleEndian.Uint32(info[at:]) }
	length := number(keyBits)
	if length == 0 {
		length = 40
	}
	known := (number(algorithm) == algorithmOf || number(algorithm) == 0) && (number(hashed) == hashOf || number(hashed) == 0)
	if !known || length < 40 || length > 128 || length%8 != 0 {
		return nil, errEncryption
	}
	v := info[size:]
	secret = digest(sha1.New, v[salt:verifier], secret)
	return openStream(sha1.New, v[verifier:verifier+16], v[sum:end], func(block []byte) []byte {
		key := digest(sha1.New, secret, block)[:length/8]
		if length == 40 {
			key = append(key, make([]byte, 11)...) // as Windows fills it up
		}
		return key
	})
}

// openStream makes the decrypter of blocks with the keys that keyOf gives, if the sum of
// the verifier shows that they are right.
func openStream(sum func() hash.Hash, verifier, want []byte, keyOf func(block []byte) []byte) (decrypter, error) {
	decrypt := func(block uint32, data []byte) {
		stream, err := rc4.NewCipher(keyOf(binary.LittleEndian.AppendUint32(nil, block))) //nolint:gosec // what the format says
		if err == nil {
			stream.XORKeyStream(data, data)
		}
	}
	checked := bytes.Join([][]byte{verifier, want}, nil) // which are encrypted as one
	decrypt(0, checked)
	if !bytes.Equal(digest(sum, checked[:len(verifier)]), checked[len(verifier):]) {
		return nil, errPassword
	}
	return decrypt, nil
}

// openXOR derives the array that bytes are obfuscated with from the password, in either of
// the ways in which its characters become bytes ([MS-OFFCRYPTO] 2.3.7.4 to 2.3.7.6).
func openXOR(want uint32, password string) (decrypter, error) {
	for _, secret := range [][]byte{lowBytes(password), windowsBytes(password)} {
		secret = secret[:min(len(secret), xorPassword)]
		if len(secret) == 0 {
			break
		}
		key := xorKey(secret)
		if uint32(key)<<16|uint32(xorVerifier(secret)) != want {
			continue
		}
		array := append(bytes.Clone(secret), 0xbb, 0xff, 0xff, 0xba, 0xff, 0xff, 0xb9, 0x80, 0x00, 0xbe, 0x0f, 0x00, 0xbf, 0x0f, 0x00)[:16]
		for i := range array {
			array[i] = bits.RotateLeft8(array[i]^byte(key>>(i%2*8)), -1)
		}
		return func(_ uint32, data []byte) { // a block has the array a whole number of times
			for i, b := range data {
				if x := b ^ array[i%len(array)]; b != 0 && x != 0 {
					data[i] = x
				}
			}
		}, nil
	}
	return nil, errPassword
}

// lowBytes is a password as Word writes it: the low byte of each character, or the high
// one where that is zero.
func lowBytes(password string) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(password)) {
		if u&0xff == 0 {
			u >>= 8
		}
		b = append(b, byte(u))
	}
	return b
}

// windowsBytes is a password in the code page of Windows's western languages.
func windowsBytes(password string) []byte {
	var b []byte
	for _, r := range password {
		c, _ := charmap.Windows1252.EncodeRune(r)
		b = append(b, c)
	}
	return b
}

// xorVerifier is the low half of what tells whether a password is right.
func xorVerifier(secret []byte) uint16 {
	verifier := uint16(0)
	turn := func(b byte) { verifier = verifier>>14&1 | verifier<<1&0x7fff ^ uint16(b) }
	for i := len(secret) - 1; i >= 0; i-- {
		turn(secret[i])
	}
	turn(byte(len(secret)))
	return verifier ^ 0xce4b
}

// xorKey is the high half: the format's tables come to a cyclic redundancy check.
func xorKey(secret []byte) uint16 {
	key := uint16(0xffff)
	for _, b := range secret {
		key ^= uint16(b&0x7f) << 8
		for range 8 {
			if carry := key >> 15; carry != 0 {
				key = key<<1 ^ 0x1021
			} else {
				key <<= 1
			}
		}
	}
	return key
}
