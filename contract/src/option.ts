import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

export const optionApi = {
  list: endpoint({
    method: 'GET',
    path: '/api/option/',
    audience: 'root',
    summary: 'Settings as texts; secrets are left out',
    reply: z.array(z.object({ key: z.string(), value: z.string() })),
  }),
  set: endpoint({
    method: 'PUT',
    path: '/api/option/',
    audience: 'root',
    summary: 'Change one setting',
    body: z.object({
      key: z.string().check(z.minLength(1), z.maxLength(100)),
      value: z.string().check(z.maxLength(200_000)),
    }),
  }),
};
