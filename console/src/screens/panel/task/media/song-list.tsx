import type { Task, TaskMedia } from '@relay-hub/contract';
import { CirclePlay, Copy, Download, Music } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { copyText } from '#ui/format/clipboard.ts';
import { formatLeft } from '#ui/format/time.ts';
import { DetailSection } from '#ui/overlay/detail-section.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { AudioPlayer } from './audio-player.tsx';
import { LyricsText } from './lyrics-text.tsx';
import { fileName, fullAddress } from './media-address.ts';
import { type Song, songsOf } from './songs-of.ts';
import { VideoPlayer } from './video-player.tsx';

/** The songs of a task: one with its player, lyrics and video; the others as rows that take its place. */
export function SongList({ task }: { task: Task }) {
  const { t } = useTranslation('taskDetail');
  const songs = songsOf(task);
  const [chosen, setChosen] = useState({ at: 0, byReader: false });
  const song = songs[chosen.at] ?? songs[0];
  if (!song) return null;
  const titleOf = ({ title }: Song) => title || t('untitled');
  const at = songs.indexOf(song);
  return (
    <>
      <div className="flex gap-4 max-sm:gap-3">
        <Cover key={song.audio.cover} url={song.audio.cover} large />
        <div className="grid min-w-0 flex-1 content-between gap-2">
          <div className="flex items-start gap-1">
            <div className="min-w-0 flex-1">
              <h3 className="text-16 break-words">{titleOf(song)}</h3>
              {song.tags !== '' && <p className="line-clamp-2 text-13 text-text2">{song.tags}</p>}
            </div>
            <FileButtons task={task} file={song.audio} />
          </div>
          <AudioPlayer
            key={song.audio.url}
            song={song}
            autoPlay={chosen.byReader}
            note={t('song', { at: at + 1, count: songs.length })}
          />
        </div>
      </div>
      {songs.length > 1 && (
        <ul className="mt-3 grid gap-2">
          {songs.map((other, index) =>
            other === song ? null : (
              <li key={other.id} className="flex items-center gap-3 rounded-card border border-line py-1.5 pr-2 pl-2.5">
                <Cover url={other.audio.cover} />
                <div className="min-w-0 flex-1 text-13">
                  <p className="truncate">{titleOf(other)}</p>
                  <p className="text-12 text-text2 tabular-nums">
                    {[t('songShort', { at: index + 1 }), other.seconds > 0 && formatLeft(other.seconds)]
                      .filter(Boolean)
                      .join(' · ')}
                  </p>
                </div>
                <IconButton
                  label={t('playNamed', { name: t('songShort', { at: index + 1 }) })}
                  icon={CirclePlay}
                  size="sm"
                  onClick={() => setChosen({ at: index, byReader: true })}
                />
                <FileButtons task={task} file={other.audio} />
              </li>
            ),
          )}
        </ul>
      )}
      {song.video && (
        <DetailSection title={t('video')}>
          <VideoPlayer key={song.video.url} task={task} file={song.video} />
        </DetailSection>
      )}
      <DetailSection
        title={t('lyrics')}
        aside={
          song.lyrics !== '' && (
            <CopyButton text={song.lyrics} name={t('lyrics')} variant="ghost" className="-my-1">
              {t('copyLyrics')}
            </CopyButton>
          )
        }
      >
        {song.lyrics === '' ? (
          <p className="text-13 text-text2">{t('instrumental')}</p>
        ) : (
          <LyricsText text={song.lyrics} />
        )}
      </DetailSection>
    </>
  );
}

function FileButtons({ task, file }: { task: Task; file: TaskMedia }) {
  const { t } = useTranslation('taskDetail');
  return (
    <span className="inline-flex flex-none">
      <IconButton
        label={t('download')}
        icon={Download}
        size="sm"
        render={<a href={file.url} download={fileName(task, file)} />}
      />
      <IconButton
        label={t('copyAddress')}
        icon={Copy}
        size="sm"
        onClick={() => void copyText(fullAddress(file.url), t('address'))}
      />
    </span>
  );
}

/** The cover of a song; an icon without one, or when it cannot be loaded. */
function Cover({ url, large = false }: { url: string; large?: boolean }) {
  const [broken, setBroken] = useState(false);
  return (
    <span
      className={cx(
        'grid flex-none place-items-center overflow-hidden bg-fill text-text3',
        large ? 'size-36 rounded-card max-sm:size-24' : 'size-10 rounded-tile',
      )}
    >
      {url !== '' && !broken ? (
        <img src={url} alt="" loading="lazy" onError={() => setBroken(true)} className="size-full object-cover" />
      ) : (
        <Icon of={Music} size={18} />
      )}
    </span>
  );
}
