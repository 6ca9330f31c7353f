// A word is one that Tesseract has read, with its box in pixels. Blocks, paragraphs within
// a block and lines within a paragraph are numbered from 1. The caller frees text.
struct word {
	char *text;
	float confidence;
	int left, top, right, bottom;
	int block, paragraph, line;
};

// words returns what a TessBaseAPI has recognised. The caller frees the array.
#ifdef __cplusplus
extern "C"
#endif
struct word *words(void *api, int *count);
