import type { Provider } from '../provider.ts';
import { falHost, falQueue } from '#providers/task-vendors/fal-queue.ts';

/** Models of many makers, named by their paths, such as `fal-ai/kling-video/v2/master/text-to-video`. */
export const provider: Provider = {
  id: 'fal',
  type: 104,
  title: 'fal',
  baseUrl: falHost,
  testModel: '',
  website: 'https://fal.ai/dashboard/keys',
  headers: (key) => ({ authorization: `Key ${key}` }),
  tasks: falQueue,
};
