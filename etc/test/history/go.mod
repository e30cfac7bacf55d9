module jgits3.org/history

go 1.21

require github.com/anishathalye/porcupine v1.0.0
