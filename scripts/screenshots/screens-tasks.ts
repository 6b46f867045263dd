import type { Task } from '@relay-hub/contract';
import { choose, type Answer } from './screen-acts.ts';
import type { Screen } from './screen.ts';
import { imageTasks, otherTasks } from './task-data.ts';

/** Both lists of tasks and their open tasks. Replies are mocked: real tasks end while others are captured. */
export const taskScreens = (): Screen[] => [
  { name: 'midjourney', address: '/panel/midjourney' },
  { name: 'task', address: '/panel/task' },
  ...screens().map((screen): Screen => ({ ...screen, dataOnly: true })),
];

const screens = (): Screen[] => {
  const images = answersOf(imageTasks());
  const others = answersOf(otherTasks());
  const image = (id: number) => `/panel/midjourney?id=${id}`;
  const other = (id: number) => `/panel/task?id=${id}`;
  return [
    { name: 'midjourney-gallery', address: '/panel/midjourney', answers: images },
    { name: 'midjourney-list', address: '/panel/midjourney', answers: images, act: choose('task:list') },
    { name: 'midjourney-own', address: '/panel/midjourney', answers: images, as: 'user' },
    { name: 'midjourney-open', address: image(27), answers: images },
    { name: 'midjourney-open-failed', address: image(25), answers: images },
    { name: 'midjourney-open-running', address: image(30), answers: images },
    { name: 'midjourney-failed', address: '/panel/midjourney', answers: { '**/api/task/**': 500 } },
    { name: 'task-list', address: '/panel/task', answers: others },
    { name: 'task-song', address: other(60), answers: others },
    { name: 'task-video', address: other(59), answers: others },
    { name: 'task-lyrics', address: other(58), answers: others },
    { name: 'task-failed', address: other(55), answers: others },
    { name: 'task-unknown', address: other(54), answers: others },
    { name: 'task-loading', address: '/panel/task', answers: { '**/api/task/**': 'never' } },
  ];
};

function answersOf(tasks: Task[]): Record<string, Answer> {
  const refunds = tasks.filter(({ refunded }) => refunded);
  const list = { data: tasks, page: 1, size: 30, total_count: 148 };
  const totals = { count: 148, quota: 5_480_000, refunded_count: refunds.length, refunded_quota: 240_000 };
  return {
    '**/api/task/?*': { data: list },
    '**/api/task/self?*': { data: list },
    '**/api/task/**totals?*': { data: totals },
  };
}
