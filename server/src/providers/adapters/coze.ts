import { coze as usage } from '#usage/plain-counters.ts';
import { cozeWire } from '#providers/wires/coze/coze-wire.ts';
import type { Provider } from '../provider.ts';
import { bearer } from '../target.ts';
import { errorsByCode } from '../upstream-errors.ts';

/**
 * Bots; a model is `coze-` and the bot's id. `https://api.coze.cn` is the same in China.
 * https://docs.coze.cn/developer_guides/chat_v3
 */
export const provider: Provider = {
  id: 'coze',
  type: 38,
  title: 'Coze',
  baseUrl: 'https://api.coze.com',
  testModel: '',
  website: 'https://www.coze.com/open',
  headers: bearer,
  chat: {
    dialect: 'own',
    path: '',
    target: ({ baseUrl, key }) => ({
      // Older channels have the former version in their base URL.
      baseUrl: baseUrl.replace(/\/open_api$/, ''),
      path: '/v3/chat',
      headers: bearer(key),
    }),
    usage,
    wire: cozeWire,
  },
  // Errors come with status 200. https://docs.coze.cn/developer_guides/coze_error_codes
  error: errorsByCode(0, { 4000: 400, 4100: 401, 4101: 403, 4200: 404, 4013: 429, 4028: 402, 4027: 402, 5000: 500 }),
};
