/** One of the two screens: image tasks, or all others. */
export type TaskScreenKind = 'image' | 'other';

export const noTaskFilters = {
  keyword: '',
  /** A preset, so that "today" stays today, or two dates; see `rangeSeconds`. */
  time: '',
  platform: '',
  action: '',
  status: '',
  /** For administrators; empty: all users. */
  username: '',
  channel_id: 0,
};
export type TaskFilters = typeof noTaskFilters;

/** The list's state in the address. */
export interface TaskSearch extends TaskFilters {
  page: number;
  size: number;
  order: string;
  /** The open task; 0: none. */
  id: number;
}

export const taskDefaults: TaskSearch = { page: 1, size: 30, order: '-id', ...noTaskFilters, id: 0 };
