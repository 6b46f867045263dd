import { activityApi, type ActivityDays } from '@relay-hub/contract';
import { apiQuery } from '#api/api-query.ts';

export type ActivitySubject =
  | { of: 'channel' | 'user' | 'token' | 'ownToken'; id: number }
  | { of: 'model'; model: string };

const refetchInterval = 60_000;

/** Activity of a record in a period. Quiet: the view shows the error. */
export function activityOf(subject: ActivitySubject, days: ActivityDays) {
  const query = { days };
  const options = { refetchInterval, meta: { quiet: true } };
  if (subject.of === 'model')
    return { ...apiQuery(activityApi.model, { query: { ...query, model: subject.model } }), ...options };
  const input = { params: { id: subject.id }, query };
  switch (subject.of) {
    case 'channel':
      return { ...apiQuery(activityApi.channel, input), ...options };
    case 'user':
      return { ...apiQuery(activityApi.user, input), ...options };
    case 'token':
      return { ...apiQuery(activityApi.token, input), ...options };
    case 'ownToken':
      return { ...apiQuery(activityApi.ownToken, input), ...options };
  }
}
