import type { Provider } from '../provider.ts';
import { bearer } from '../target.ts';
import { stabilityUpscale } from '#providers/task-vendors/stability-upscale.ts';
import { errorsWith } from '../upstream-errors.ts';

export const provider: Provider = {
  id: 'stability',
  type: 37,
  title: 'Stability AI',
  baseUrl: 'https://api.stability.ai/v2beta',
  testModel: '',
  website: 'https://platform.stability.ai/account/credits',
  headers: bearer,
  tasks: stabilityUpscale,
  error: errorsWith({ payment_required: 402, unauthorized: 401 }),
};
