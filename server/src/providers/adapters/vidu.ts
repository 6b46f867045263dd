import type { Provider } from '../provider.ts';
import { viduTasks } from '#providers/task-vendors/vidu.ts';

/** Videos of Vidu. The vendor's site for China is `https://api.vidu.cn/ent/v2`. */
export const provider: Provider = {
  id: 'vidu',
  type: 103,
  title: 'Vidu',
  baseUrl: 'https://api.vidu.com/ent/v2',
  testModel: '',
  website: 'https://platform.vidu.com',
  headers: (key) => ({ authorization: `Token ${key}` }),
  tasks: viduTasks,
};
