import type { Inviter } from '@relay-hub/contract';
import { button } from './screen-acts.ts';
import type { Screen } from './screen.ts';

/** The invitation card, and the list of inviters. */
export const invitationScreens = (): Screen[] => [
  { name: 'inviters-empty', address: '/panel/user/inviters' },
  {
    name: 'inviters',
    address: '/panel/user/inviters',
    dataOnly: true,
    answers: {
      '**/api/user/inviters?**': { data: { data: inviters, page: 1, size: 30, total_count: inviters.length } },
    },
  },
  { name: 'users-of-inviter', address: '/panel/user?inviter=2', dataOnly: true },
  { ...onTopup, name: 'topup-invitations' },
  { ...onTopup, name: 'topup-invitation-code', act: button('invite:code') },
];

const onTopup = {
  address: '/panel/topup',
  as: 'user',
  dataOnly: true,
  answers: {
    '**/api/user/self/invitations': {
      data: {
        aff_code: 'k7Qm',
        invited: 12,
        rewarded: 9,
        waiting: 3,
        earned: 3_000_000,
        inviter_reward: 250_000,
        share_percent: 5,
        share_days: 14,
        share_waiting: 1_250_000,
        invitee_reward: 100_000,
      },
    },
  },
} as const;

const names = ['liu.wei', 'mika_', 'chen_jing', 'o.brien'];

const inviters = Array.from({ length: 14 }, (_, at): Inviter => ({
  id: 101 + at * 7,
  username:
    at === 2 ? 'anthropic-production-key-07-eu-central-1-evaluation-and-load' : `${names[at % names.length]!}${at}`,
  display_name: at % 3 === 0 ? '林晓梅' : '',
  avatar_url: '',
  role: 1,
  status: 1,
  invited: 1284 - at * 91,
  rewarded: 903 - at * 64,
  earned: 250_000 * (903 - at * 64),
  same_address: at === 0 ? 412 : at === 2 ? 2 : at % 2,
  same_day: at === 0 ? 61 : at === 4 ? 8 : 1 + (at % 4),
  last_time: 1_795_000_000 - at * 86_400 * 3,
  suspicious: at === 0 ? ['same_address', 'same_day'] : at === 2 ? ['same_address'] : at === 4 ? ['same_day'] : [],
}));
