package office

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/fault"
)

const protected = "Password1234_"

// TestUnlock opens documents of Word and Excel, and gets their bytes from before.
func TestUnlock(t *testing.T) {
	t.Parallel()
	for name, hash := range map[string]string{
		"agile.docx":    "4276b311d5be2260a62d627bb54453006733dceae2f3a9b0fa1d751c82c367c6",
		"standard.docx": "4276b311d5be2260a62d627bb54453006733dceae2f3a9b0fa1d751c82c367c6",
	} {
		data, err := os.ReadFile("testdata/" + name)
		require.NoError(t, err)
		var open bytes.Buffer
		require.NoError(t, Unlock(bytes.NewReader(data), protected, &open), name)
		sum := sha256.Sum256(open.Bytes())
		require.Equal(t, hash, hex.EncodeToString(sum[:]), name)
		for _, wrong := range []string{"", "password1234_", protected + "\x00"} {
			require.Equal(t, fault.PasswordProtected, fault.CodeOf(Unlock(bytes.NewReader(data), wrong, &open)), name)
		}
	}
}

// agile is what says that a document is encrypted in a way that has no password.
func agile(spins, bits, hash, cipher string) string {
	attributes := ` saltValue="AAAA" keyBits="` + bits + `" cipherAlgorithm="` + cipher + `" cipherChaining="ChainingModeCBC" hashAlgorithm="` + hash + `"`
	return "\x04\x00\x04\x00\x40\x00\x00\x00<encryption><keyData" + attributes + `/><keyEncryptors><keyEncryptor><encryptedKey spinCount="` + spins + `"` + attributes + ` encryptedKeyValue="AAAA"/></keyEncryptor></keyEncryptors></encryption>`
}

// TestUnlockUnsound has documents that are damaged, or encrypted in other ways.
func TestUnlockUnsound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		info string
		want fault.Code
	}{
		"Empty":     {"", fault.UnsupportedType},
		"Other":     {"\x03\x00\x03\x00 and so on", fault.UnsupportedType},
		"NoXML":     {"\x04\x00\x04\x00\x40\x00\x00\x00<encr", fault.CorruptFile},
		"Spins":     {agile("2000000000", "256", "SHA512", "AES"), fault.UnsupportedType},
		"Bits":      {agile("1", "2560000", "SHA512", "AES"), fault.UnsupportedType},
		"Hash":      {agile("1", "256", "WHIRLPOOL", "AES"), fault.UnsupportedType},
		"Cipher":    {agile("1", "256", "SHA512", "RC4"), fault.UnsupportedType},
		"ShortKey":  {agile("1", "256", "SHA512", "AES"), fault.CorruptFile},
		"Standard":  {"\x04\x00\x02\x00\x24\x00\x00\x00\xff\xff\xff\xff" + strings.Repeat("x", 200), fault.CorruptFile},
		"Algorithm": {"\x04\x00\x02\x00\x24\x00\x00\x00\x20\x00\x00\x00" + strings.Repeat("x", 200), fault.UnsupportedType},
	} {
		err := Unlock(bytes.NewReader(formattest.Compound(t, "EncryptionInfo", c.info, "EncryptedPackage", "y")), protected, &bytes.Buffer{})
		require.Equal(t, c.want, fault.CodeOf(err), "%s: %v", name, err)
	}
	require.Error(t, Unlock(strings.NewReader("no compound file"), protected, &bytes.Buffer{}))
}

func FuzzUnlock(f *testing.F) {
	f.Add(agile("1", "256", "SHA512", "AES"), "\x01\x00\x00\x00\x00\x00\x00\x00"+strings.Repeat("x", 32))
	f.Add("\x04\x00\x02\x00\x24\x00\x00\x00\x20\x00\x00\x00"+strings.Repeat("\x0e\x66\x00\x00\x80\x00\x00\x00", 40), "\x01")
	f.Fuzz(func(t *testing.T, info, sealed string) {
		if len(info)+len(sealed) > 16<<10 {
			t.Skip("more than a compound file of the tests holds")
		}
		var open bytes.Buffer
		if Unlock(bytes.NewReader(formattest.Compound(t, "EncryptionInfo", info, "EncryptedPackage", sealed)), protected, &open) == nil {
			require.LessOrEqual(t, open.Len(), len(sealed)+8192)
		}
	})
}
