import { Dialog as Base } from '@base-ui/react/dialog';
import type { Task, TaskMedia } from '@relay-hub/contract';
import { ChevronLeft, ChevronRight, Image, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { popupMotion, scrim } from '#ui/overlay/overlay.ts';
import { subjectOf } from '#screens/panel/task/task-look.ts';
import type { TaskReader } from '#screens/panel/task/task-search.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { VideoPlayer } from '#screens/panel/task/media/video-player.tsx';
import { ImageAside } from './image-aside.tsx';
import { useOpenTask } from './use-open-task.ts';
import { TaskOutcome } from './task-outcome.tsx';

interface Props {
  id: number;
  rows: readonly Task[];
  reader: TaskReader;
  /** Shows another task; 0 closes. */
  onGo: (id: number) => void;
  onCancel: (task: Task) => void;
}

const noFiles: readonly TaskMedia[] = [];

/** The large view: a picture with all that is known of its task. ← → go through pictures and tasks, Esc closes. */
export function ImageView({ id, rows, reader, onGo, onCancel }: Props) {
  const { t } = useTranslation(['taskDetail', 'task', 'shared']);
  const [open, setOpen] = useState(true);
  const [shown, setShown] = useState({ id, at: 0 });
  const popup = useRef<HTMLDivElement>(null);
  const { query, task, previous, next } = useOpenTask({ id, rows, reader });
  const files = task?.media ?? noFiles;
  const at = shown.id === id ? Math.min(shown.at, Math.max(0, files.length - 1)) : 0;
  const toTask = (other: Task | undefined, last: boolean) =>
    other &&
    (() => {
      setShown({ id: other.id, at: last ? Math.max(0, other.media.length - 1) : 0 });
      onGo(other.id);
    });
  const back = at > 0 ? () => setShown({ id, at: at - 1 }) : toTask(previous, true);
  const forth = at < files.length - 1 ? () => setShown({ id, at: at + 1 }) : toTask(next, false);
  useArrows(back, forth);
  return (
    <Base.Root open={open} onOpenChange={setOpen} onOpenChangeComplete={(now) => !now && onGo(0)}>
      <Base.Portal>
        <Base.Backdrop className={scrim} forceRender />
        <Base.Popup
          ref={popup}
          initialFocus={popup}
          className={cx(
            'floating fixed inset-4 z-50 flex overflow-hidden rounded-card shadow-dialog outline-none max-md:inset-0 max-md:flex-col max-md:overflow-y-auto max-md:rounded-none',
            popupMotion,
          )}
        >
          <div className="relative grid min-w-0 flex-1 bg-sunk max-md:h-[56dvh] max-md:flex-none">
            {task && <ImageStage key={`${task.id} ${at}`} task={task} file={files[at]} />}
            {back && (
              <IconButton
                label={t('previous')}
                icon={ChevronLeft}
                variant="default"
                size="lg"
                aria-keyshortcuts="ArrowLeft"
                className="absolute! top-1/2 left-3 -translate-y-1/2 rounded-full!"
                onClick={back}
              />
            )}
            {forth && (
              <IconButton
                label={t('next')}
                icon={ChevronRight}
                variant="default"
                size="lg"
                aria-keyshortcuts="ArrowRight"
                className="absolute! top-1/2 right-3 -translate-y-1/2 rounded-full!"
                onClick={forth}
              />
            )}
          </div>
          <div className="flex w-100 flex-none flex-col border-l border-line max-md:w-full max-md:border-l-0">
            <div className="flex flex-none items-start gap-2 py-3.5 pr-3 pl-5 max-sm:pl-4">
              <Base.Title className="line-clamp-2 min-w-0 flex-1 pt-1 text-15 break-words">
                {task ? subjectOf(task, t) : t('task:task')}
              </Base.Title>
              <IconButton
                label={t('shared:close')}
                icon={X}
                aria-keyshortcuts="Escape"
                className="max-md:fixed! max-md:top-2 max-md:right-2 max-md:rounded-full! max-md:border-line2! max-md:bg-card!"
                onClick={() => setOpen(false)}
              />
            </div>
            {query.error && !task && (
              <ErrorState text={query.error.message} busy={query.isFetching} onRetry={() => void query.refetch()} />
            )}
            {task && <ImageAside key={task.id} task={task} reader={reader} file={files[at]} onCancel={onCancel} />}
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

function useArrows(back: (() => void) | undefined, forth: (() => void) | undefined) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const act = { ArrowLeft: back, ArrowRight: forth }[event.key];
      const { target } = event;
      // A tab list, a video and a confirmation use the arrows themselves.
      const taken =
        target instanceof Element && target.closest('[role=tablist], [role=alertdialog], video, pre, input');
      if (!act || taken || event.metaKey || event.ctrlKey || event.altKey) return;
      event.preventDefault();
      act();
    };
    // Captured, because the dialog stops the propagation of arrow keys.
    addEventListener('keydown', onKey, true);
    return () => removeEventListener('keydown', onKey, true);
  }, [back, forth]);
}

interface ImageStageProps {
  task: Task;
  file: TaskMedia | undefined;
}

/** The picture in its own aspect, or why there is none. */
function ImageStage({ task, file }: ImageStageProps) {
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
