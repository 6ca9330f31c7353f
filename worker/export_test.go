package worker

// Mute stops the signs of life of a worker that goes on working, as if its
// machine had been paused.
func (w *Worker) Mute() {
	w.stop()
	<-w.stopped
}

// IsHeldBack is which decisions a model is judged by.
func IsHeldBack(text string) bool { return isHeldBack(text) }
