import type { Task, TaskMedia } from '@relay-hub/contract';
import { Image } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { subjectOf } from '#screens/panel/task/task-look.ts';
import { VideoPlayer } from '#screens/panel/task/media/video-player.tsx';
import { TaskOutcome } from './task-outcome.tsx';

interface Props {
  task: Task;
  file: TaskMedia | undefined;
}

/** The picture in its own aspect, or why there is none. */
export function ImageStage({ task, file }: Props) {
  const { t } = useTranslation(['taskDetail', 'task']);
  const [broken, setBroken] = useState(false);
  if (file && file.kind !== 'image')
    return (
      <div className="grid place-content-center p-6">
        <VideoPlayer task={task} file={file} />
      </div>
    );
  if (file && !broken)
    return (
      <img
        src={file.url}
        alt={subjectOf(task, t)}
        onError={() => setBroken(true)}
        className="absolute inset-0 m-auto max-h-full max-w-full object-contain"
      />
    );
  return (
    <div className="m-auto grid w-full max-w-100 gap-4 p-6">
      {task.status === 'SUCCESS' ? (
        <p className="grid justify-items-center gap-3 text-center text-13 text-text2">
          <Icon of={Image} size={18} />
          {t(broken ? 'expired' : 'nothing')}
        </p>
      ) : (
        <TaskOutcome task={task} />
      )}
    </div>
  );
}
