import type { Task, TaskMedia } from '@relay-hub/contract';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { subjectOf } from '#screens/panel/task/task-look.ts';
import { playAlone } from './one-at-a-time.ts';

interface Props {
  task: Task;
  file: TaskMedia;
}

/** A video with its poster and the browser's controls; its size below, once it is read. */
export function VideoPlayer({ task, file }: Props) {
  const { t } = useTranslation(['taskDetail', 'task']);
  const [size, setSize] = useState('');
  const [failed, setFailed] = useState(false);
  if (failed) return <p className="rounded-card bg-fill p-4 text-13 text-warn">{t('expired')}</p>;
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- generated videos come without captions */}
      <video
        controls
        playsInline
        preload="metadata"
        src={file.url}
        poster={file.cover || undefined}
        aria-label={subjectOf(task, t)}
        onPlay={({ currentTarget }) => playAlone(currentTarget)}
        onError={() => setFailed(true)}
        onLoadedMetadata={({ currentTarget: { videoWidth: width, videoHeight: height } }) =>
          width > 0 && setSize(`${width} × ${height}`)
        }
        className="max-h-[60dvh] w-full rounded-card bg-fill"
      />
      {size !== '' && <p className="mt-1.5 text-12 text-text2 tabular-nums">{size}</p>}
    </>
  );
}
