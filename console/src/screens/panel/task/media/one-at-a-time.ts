let playing: HTMLMediaElement | undefined;

/** For `onPlay` of audio and video elements: the one that played before pauses. */
export function playAlone(element: HTMLMediaElement): void {
  if (playing && playing !== element) playing.pause();
  playing = element;
}
