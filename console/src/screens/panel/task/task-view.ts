import { storage } from '#api/storage.ts';
import { createStore, useStore } from '#api/store.ts';

/** How image tasks are shown. */
export const taskViews = ['gallery', 'list'] as const;
export type TaskView = (typeof taskViews)[number];

const key = 'taskView';
const chosen = createStore<TaskView>(storage.get(key) === 'list' ? 'list' : 'gallery');

/** The view that was chosen last in this browser. */
export const useTaskView = (): TaskView => useStore(chosen);

export function chooseTaskView(view: TaskView): void {
  storage.set(key, view);
  chosen.set(view);
}
