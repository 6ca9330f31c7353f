package worker

// Mute stops the signs of life of a worker that goes on working, as if its
// machine had been paused.
func (w *Worker) Mute() {
	w.stop()
	<-w.stopped
}
