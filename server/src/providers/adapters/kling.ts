import { keyOf } from '../form.ts';
import type { Provider } from '../provider.ts';
import { klingToken } from '#providers/signing/kling-token.ts';
import { bearer } from '../target.ts';
import { klingLegacyTasks } from '#providers/task-vendors/kling-legacy.ts';
import { errorsByCode } from '../upstream-errors.ts';

/** Videos in both of the vendor's APIs. The newer one takes API keys only. */
export const provider: Provider = {
  id: 'kling',
  type: 53,
  title: 'Kling',
  baseUrl: 'https://api-singapore.klingai.com',
  testModel: '',
  website: 'https://app.klingai.com/global/dev',
  form: { key: keyOf(['AccessKey', 'SecretKey'], ['APIKey']) },
  headers: bearer,
  sign: (_, key, now) => ({ authorization: `Bearer ${klingToken(key, now)}` }),
  error: errorsByCode(0, {
    1000: 401,
    1001: 401,
    1002: 401,
    1003: 401,
    1004: 401,
    // Account matters, although they come with 429.
    1100: 402,
    1101: 402,
    1102: 402,
    1103: 403,
    1200: 400,
    1201: 400,
    1202: 404,
    1203: 404,
    1300: 400,
    1301: 400,
    1302: 429,
    1303: 429,
    1304: 401,
    5000: 500,
    5001: 503,
    5002: 504,
  }),
  tasks: klingLegacyTasks,
};
