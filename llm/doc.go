// Package llm asks a language model over the chat completions protocol of OpenAI, which
// llama.cpp, vLLM, Ollama and hosted services speak.
//
// It knows addresses, time limits, repetitions and streams. What is asked, who may ask and
// what is made of the answer is decided by its callers: an answer is foreign text.
package llm
