import type { Provider } from '../provider.ts';
import { bearer } from '../target.ts';
import { runwayTasks } from '#providers/task-vendors/runway.ts';

export const provider: Provider = {
  id: 'runway',
  type: 101,
  title: 'Runway',
  baseUrl: 'https://api.dev.runwayml.com',
  testModel: '',
  website: 'https://dev.runwayml.com',
  headers: (key) => ({ ...bearer(key), 'x-runway-version': '2024-11-06' }),
  tasks: runwayTasks,
};
