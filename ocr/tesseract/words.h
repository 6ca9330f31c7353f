// A word is what Tesseract has read at a place of the image. Blocks, their paragraphs and
// the lines of these are numbered from 1. text is freed by who gets it.
struct word {
	char *text;
	float confidence;
	int left, top, right, bottom;
	int block, paragraph, line;
};

#ifdef __cplusplus
extern "C"
#endif
// words returns the words that the API has recognised, in a block to be freed.
struct word *words(void *api, int *count);
