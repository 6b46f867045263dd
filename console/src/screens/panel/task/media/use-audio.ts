import { useRef, useState, type SyntheticEvent } from 'react';
import { playAlone } from './one-at-a-time.ts';

type Heard = SyntheticEvent<HTMLAudioElement>;

/** State of an audio element: spread `bind` on it. `seconds`: its length until the file is read. */
export function useAudio(seconds: number) {
  const element = useRef<HTMLAudioElement>(null);
  const [playing, setPlaying] = useState(false);
  const [now, setNow] = useState(0);
  const [total, setTotal] = useState(seconds);
  const [volume, setVolume] = useState(1);
  const [failed, setFailed] = useState(false);
  const bind = {
    ref: element,
    preload: 'metadata',
    onPlay: ({ currentTarget }: Heard) => {
      playAlone(currentTarget);
      setPlaying(true);
    },
    onPause: () => setPlaying(false),
    onEnded: () => setPlaying(false),
    onTimeUpdate: ({ currentTarget }: Heard) => setNow(currentTarget.currentTime),
    onLoadedMetadata: ({ currentTarget: { duration } }: Heard) => Number.isFinite(duration) && setTotal(duration),
    onVolumeChange: ({ currentTarget: { muted, volume: level } }: Heard) => setVolume(muted ? 0 : level),
    onError: () => setFailed(true),
  } as const;
  return {
    bind,
    playing,
    now,
    total,
    volume,
    failed,
    toggle: () => {
      const { current } = element;
      // A refusal to play shows as an error of the element, or the reader has pressed pause meanwhile.
      if (current?.paused) current.play().catch(() => undefined);
      else current?.pause();
    },
    seek: (to: number) => {
      if (element.current) element.current.currentTime = to;
      setNow(to);
    },
    setVolume: (level: number) => {
      const { current } = element;
      if (!current) return;
      current.muted = level === 0;
      current.volume = level === 0 ? current.volume : level;
    },
  };
}
