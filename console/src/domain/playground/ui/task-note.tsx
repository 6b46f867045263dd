import { Link } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';
import { ProgressBar } from '#ui/feedback/progress-bar.tsx';
import type { AnswerTask } from '#domain/playground/playground-types.ts';

/** Progress of an async task, and the way to its record, which stays after the conversation. */
export function TaskNote({ task: { id, progress }, running }: { task: AnswerTask; running: boolean }) {
  const { t } = useTranslation('playground');
  return (
    <div className="mt-1 flex max-w-80 flex-col gap-1.5">
      {running && <ProgressBar value={progress} max={100} label={t('taskProgress')} />}
      <Link
        to="/panel/task"
        search={id === undefined ? {} : { id }}
        className="self-start text-12 text-accent underline underline-offset-2"
      >
        {t('taskOpen')}
      </Link>
    </div>
  );
}
