import { Volume2, VolumeX } from 'lucide-react';
import { type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { formatLeft } from '#ui/format/time.ts';
import type { Song } from './songs-of.ts';
import { playAlone } from './one-at-a-time.ts';

interface Props {
  song: Song;
  /** Starts at once, when the reader has chosen the song. */
  autoPlay: boolean;
  /** "Song 1 of 2". */
  note: string;
}

const slider = 'h-5 cursor-pointer dark:[color-scheme:dark] accent-(--color-accent-fill)';

/** Plays one song: play, position, volume. Remount it for another song. */
export function AudioPlayer({ song, autoPlay, note }: Props) {
  const { t } = useTranslation('taskDetail');
  const audio = useAudio(song.seconds);
  const { ref } = audio.bind;
  useEffect(() => {
    // Browsers that refuse to start by themselves show the paused player.
    if (autoPlay) ref.current?.play().catch(() => undefined);
  }, [autoPlay, ref]);
  if (audio.failed) return <p className="text-13 text-warn">{t('expired')}</p>;
  const { playing, now, total, volume } = audio;
  const [at, end] = [formatLeft(Math.floor(now)), total > 0 ? formatLeft(total) : '–:––'];
  return (
    <div className="grid gap-1.5 text-12 text-text2 tabular-nums">
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- the lyrics are below */}
      <audio {...audio.bind} src={song.audio.url} />
      <input
        type="range"
        aria-label={t('position')}
        aria-valuetext={t('positionText', { now: at, total: end })}
        min={0}
        max={Math.max(1, Math.floor(total))}
        value={Math.floor(now)}
        onChange={({ currentTarget }) => audio.seek(Number(currentTarget.value))}
        className={`${slider} w-full`}
      />
      <div className="flex justify-between">
        <span>{at}</span>
        <span>{end}</span>
      </div>
      <div className="flex items-center gap-2">
        <button
          type="button"
          aria-label={t(playing ? 'pause' : 'play')}
          onClick={audio.toggle}
          className="grid size-9 flex-none place-items-center rounded-full bg-accent-fill text-on-accent hover:bg-accent-hover max-sm:size-11"
        >
          <PlayGlyph playing={playing} />
        </button>
        <span className="ml-auto">{note}</span>
        <IconButton
          label={t(volume === 0 ? 'unmute' : 'mute')}
          icon={volume === 0 ? VolumeX : Volume2}
          size="sm"
          onClick={() => audio.setVolume(volume === 0 ? 1 : 0)}
        />
        <input
          type="range"
          aria-label={t('volume')}
          min={0}
          max={1}
          step={0.05}
          value={volume}
          onChange={({ currentTarget }) => audio.setVolume(Number(currentTarget.value))}
          className={`${slider} w-20 max-sm:hidden`}
        />
      </div>
    </div>
  );
}

type Heard = SyntheticEvent<HTMLAudioElement>;

/** State of an audio element: spread `bind` on it. `seconds`: its length until the file is read. */
function useAudio(seconds: number) {
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

/** The sign on the round button: a triangle, or two bars while it plays. */
function PlayGlyph({ playing }: { playing: boolean }) {
  return (
    <svg aria-hidden viewBox="0 0 24 24" fill="currentColor" className="size-4">
      <path d={playing ? 'M6 4h4v16H6zM14 4h4v16h-4z' : 'M7 4l14 8-14 8z'} />
    </svg>
  );
}
