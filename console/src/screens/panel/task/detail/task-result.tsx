import type { Task } from '@relay-hub/contract';
import { lazy, Suspense } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { LyricsText } from '#screens/panel/task/media/lyrics-text.tsx';
import { lyricsOf } from '#screens/panel/task/media/songs-of.ts';
import { kindOf } from '#screens/panel/task/task-look.ts';
import type { TaskReader } from '#screens/panel/task/task-search.ts';
import { TaskEntries } from './task-entries.tsx';
import { TaskFacts } from './task-facts.tsx';
import { TaskOutcome } from './task-outcome.tsx';
import { TaskTimeline } from './task-timeline.tsx';
import { TextPart } from './text-part.tsx';

const SongList = lazy(async () => ({ default: (await import('#screens/panel/task/media/song-list.tsx')).SongList }));
const VideoPlayer = lazy(async () => ({
  default: (await import('#screens/panel/task/media/video-player.tsx')).VideoPlayer,
}));

interface Props {
  task: Task;
  reader: TaskReader;
}

/** Results of a task, then its prompt and facts. */
export function TaskResult({ task, reader }: Props) {
  const { t } = useTranslation('taskDetail');
  return (
    <>
      <TaskOutcome task={task} />
      <Suspense fallback={<Skeleton className="h-36 rounded-card" width="100%" />}>
        <Made task={task} />
      </Suspense>
      <TextPart title={t('prompt')} text={task.prompt} />
      <TextPart title={t('promptEn')} text={task.prompt_en === task.prompt ? '' : task.prompt_en} />
      <TaskTimeline task={task} />
      <TaskEntries task={task} reader={reader} />
      <TaskFacts task={task} reader={reader} />
    </>
  );
}

function Made({ task }: { task: Task }) {
  const { t } = useTranslation('taskDetail');
  const has = (kind: 'audio' | 'image' | 'video') => task.media.some((file) => file.kind === kind);
  if (has('audio')) return <SongList task={task} />;
  const texts = kindOf(task) === 'lyrics' ? lyricsOf(task) : [];
  if (task.status === 'SUCCESS' && texts.length === 0 && task.media.length === 0)
    return <p className="text-13 text-text2">{t('nothing')}</p>;
  return (
    <div className="grid grid-cols-1 gap-4">
      {texts.map(({ title, text }, index) => (
        <section key={index}>
          {title !== '' && <h3 className="mb-2 text-14">{title}</h3>}
          <LyricsText text={text} />
        </section>
      ))}
      {task.media.map((file) =>
        file.kind === 'video' ? (
          <div key={file.url}>
            <VideoPlayer task={task} file={file} />
          </div>
        ) : (
          <img
            key={file.url}
            src={file.url}
            alt={file.title || task.prompt}
            loading="lazy"
            className="w-full rounded-card"
          />
        ),
      )}
    </div>
  );
}
