import { isFinalTask, type Task, type TaskStatus } from '@relay-hub/contract';
import { AlignLeft, Clapperboard, Image, Layers, MessageSquare, Music, type LucideIcon } from 'lucide-react';
import { useCallback } from 'react';
import { i18n, type Translate } from '#i18n/t.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import type { StatusKind } from '#ui/feedback/status.tsx';

export type TaskKind = 'image' | 'music' | 'lyrics' | 'video' | 'batch' | 'response';

/** Kind of result that a task produces. */
export function kindOf({ platform, action }: Pick<Task, 'platform' | 'action'>): TaskKind {
  if (platform === 'midjourney') return action === 'VIDEO' ? 'video' : 'image';
  if (platform === 'suno') return action === 'LYRICS' ? 'lyrics' : 'music';
  if (platform === 'batch' || platform === 'response') return platform;
  return 'video';
}

export const kindIcons: Record<TaskKind, LucideIcon> = {
  image: Image,
  music: Music,
  lyrics: AlignLeft,
  video: Clapperboard,
  batch: Layers,
  response: MessageSquare,
};

export const statusKinds: Record<TaskStatus, StatusKind> = {
  NOT_START: 'queued',
  SUBMITTED: 'queued',
  QUEUED: 'queued',
  IN_PROGRESS: 'running',
  MODAL: 'doubtful',
  FAILURE: 'failed',
  SUCCESS: 'done',
  CANCEL: 'closed',
  UNKNOWN: 'unknown',
};

/** The statuses of unfinished tasks, as the filter takes them. */
export const openStatuses = 'NOT_START,SUBMITTED,QUEUED,IN_PROGRESS,MODAL,UNKNOWN';

export const isOpen = ({ status }: Pick<Task, 'status'>): boolean => !isFinalTask(status);

export const imageActions = [
  'IMAGINE',
  'UPSCALE',
  'VARIATION',
  'HIGH_VARIATION',
  'LOW_VARIATION',
  'REROLL',
  'ZOOM',
  'CUSTOM_ZOOM',
  'PAN',
  'INPAINT',
  'BLEND',
  'DESCRIBE',
  'SHORTEN',
  'EDIT',
  'SWAP_FACE',
  'UPLOAD',
  'VIDEO',
] as const;

type Named = (typeof imageActions)[number];

/** Name of an action; one without a name is shown as the API has it. */
export function useActionName(): (action: string) => string {
  const { t } = useTranslation('task');
  return useCallback(
    (action) => {
      const key = `actions.${action.toUpperCase()}`;
      return i18n.exists('task', key) ? t(key as `actions.${Named}`) : action; // `exists` has found it
    },
    [t],
  );
}

/** First of prompt, title and description that says something. */
export const subjectOf = ({ prompt, description, media }: Task, t: Translate<'task'>): string =>
  media.find(({ kind, title }) => kind !== 'image' && title !== '')?.title ||
  prompt.trim() ||
  description.trim() ||
  t('noPrompt');

/** Seconds from submission to the end, or until `now`. */
export const secondsOf = ({ submit_time, finish_time }: Task, now: number): number =>
  Math.max(0, (finish_time || now) - submit_time);

/** "42 s", "2 min 08 s". */
export function formatDuration(seconds: number, t: Translate<'task'>): string {
  if (seconds < 100) return t('seconds', { seconds });
  return t('minutes', { minutes: Math.floor(seconds / 60), seconds: String(seconds % 60).padStart(2, '0') });
}

/** Longer is unusual for a picture. */
const slowSeconds = 60;

export const isSlow = (task: Task, now: number): boolean =>
  kindOf(task) === 'image' && secondsOf(task, now) > slowSeconds;
