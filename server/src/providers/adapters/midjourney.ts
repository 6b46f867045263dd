import { anyKey } from '../form.ts';
import type { Provider } from '../provider.ts';
import { midjourneyTasks } from '#providers/task-vendors/midjourney-proxy.ts';

/** A self-hosted midjourney-proxy. */
export const provider: Provider = {
  id: 'midjourney',
  type: 34,
  title: 'Midjourney',
  baseUrl: '',
  testModel: '',
  website: '',
  form: { address: 'required', key: anyKey },
  // With a second header, one of the two implementations does not see this one.
  headers: (key) => ({ 'mj-api-secret': key }),
  tasks: midjourneyTasks,
};
