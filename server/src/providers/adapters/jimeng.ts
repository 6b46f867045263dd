import { keyOf } from '../form.ts';
import type { Provider } from '../provider.ts';
import { volcengineHeaders } from '#providers/signing/volcengine-signature.ts';
import { jimengTasks } from '#providers/task-vendors/jimeng.ts';
import { errorsByCode } from '../upstream-errors.ts';

/** Videos of Jimeng at Volcengine's visual service. */
export const provider: Provider = {
  id: 'jimeng',
  type: 106,
  title: 'Jimeng',
  baseUrl: 'https://visual.volcengineapi.com',
  testModel: '',
  website: 'https://console.volcengine.com/ai/ability/detail/10',
  form: { key: keyOf(['AccessKey', 'SecretKey']) },
  headers: () => ({}),
  sign: (request, key, now) => volcengineHeaders(request, key, { region: 'cn-north-1', service: 'cv' }, now),
  error: errorsByCode(10_000, {
    50411: 400,
    50412: 400,
    50413: 400,
    50429: 429,
    50430: 429,
    50500: 500,
    50501: 500,
  }),
  tasks: jimengTasks,
};
