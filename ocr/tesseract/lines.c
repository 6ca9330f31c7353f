// Tesseract packs the picture of every line as PNG, to unpack it again in the
// next function: six of a hundred seconds on a page. As the program's own
// pixWriteMem is found before Leptonica's, the pictures stay as they are;
// pixReadMem tells by their first bytes what they are.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <leptonica/allheaders.h>

l_ok pixWriteMem(l_uint8 **data, size_t *size, PIX *pix, l_int32 format) {
	if (format == IFF_PNG) {
		return pixWriteMemSpix(data, size, pix);
	}
	l_ok (*next)(l_uint8 **, size_t *, PIX *, l_int32) = dlsym(RTLD_NEXT, "pixWriteMem");
	return next == NULL ? 1 : next(data, size, pix, format);
}
