import type { SessionUser } from '@relay-hub/contract';
import { rangeSeconds } from '#ui/table/filter.ts';
import type { TaskFilters, TaskScreenKind } from './task-defaults.ts';

/** The user of a screen: administrators see the tasks of all users, with channels. */
export interface TaskReader {
  admin: boolean;
  kind: TaskScreenKind;
  username: string;
}

export const readerOf = (kind: TaskScreenKind, user: SessionUser | undefined, admin: boolean): TaskReader => ({
  admin,
  kind,
  username: user?.username ?? '',
});

export const otherPlatforms = ['suno', 'kling', 'video', 'batch', 'response'] as const;

/** The filters as the API takes them, without those that only administrators may use. */
export function queryOf(filters: TaskFilters, { admin, kind }: TaskReader) {
  const { keyword, time, action, status, username, channel_id } = filters;
  const { start, end } = rangeSeconds(time);
  const platform = kind === 'image' ? 'midjourney' : filters.platform || otherPlatforms.join();
  const own = { keyword, platform, action, status, start_timestamp: start, end_timestamp: end };
  return admin ? { ...own, username, channel_id } : own;
}
