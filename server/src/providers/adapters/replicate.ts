import type { Provider } from '../provider.ts';
import { bearer } from '../target.ts';
import { replicatePredictions } from '#providers/task-vendors/replicate-predictions.ts';

/** Models of many makers, named `owner/name` or `owner/name:version`. */
export const provider: Provider = {
  id: 'replicate',
  type: 52,
  title: 'Replicate',
  baseUrl: 'https://api.replicate.com',
  testModel: '',
  website: 'https://replicate.com/account/billing',
  headers: bearer,
  tasks: replicatePredictions,
};
