import type { Provider } from '../provider.ts';
import { bearer } from '../target.ts';
import { arkTasks } from '#providers/task-vendors/ark-video.ts';
import { errorsWith } from '../upstream-errors.ts';

/** Videos of Seedance. BytePlus has the same API at `https://ark.ap-southeast.bytepluses.com/api/v3`. */
export const provider: Provider = {
  id: 'volcengine',
  type: 105,
  title: 'Volcengine Ark',
  baseUrl: 'https://ark.cn-beijing.volces.com/api/v3',
  testModel: '',
  website: 'https://console.volcengine.com/ark',
  headers: bearer,
  error: errorsWith({ AuthenticationError: 401, AccountOverdueError: 402, AccessDenied: 403 }),
  tasks: arkTasks,
};
