import { type Token, tokenApi, tokenStatus } from '@relay-hub/contract';
import { CircleCheck, CircleMinus, Trash2 } from 'lucide-react';
import { refresh } from '#api/api-query.ts';
import { type RecordActions, useRecordActions } from '#list/record-actions.tsx';
import { removeToken, setStatus, showStatus } from './token-api.ts';
import { stateOf } from './token-state.ts';

/** An exhausted or expired token is renewed in its form, not by enabling it. */
const isIn = (state: 'enabled' | 'disabled') => (token: Token) => stateOf(token, Date.now() / 1000) === state;

const actions = {
  disable: {
    label: 'disable',
    bulk: 'disableMany',
    running: 'disabling',
    done: 'disabled',
    doneMany: 'disabledMany',
    icon: CircleMinus,
    when: isIn('enabled'),
    send: ({ id }) => setStatus(id, tokenStatus.disabled),
    undo: 'enable',
  },
  enable: {
    label: 'enable',
    bulk: 'enableMany',
    running: 'enabling',
    done: 'enabled',
    doneMany: 'enabledMany',
    icon: CircleCheck,
    when: isIn('disabled'),
    send: ({ id }) => setStatus(id, tokenStatus.enabled),
    undo: 'disable',
  },
  remove: {
    label: 'remove',
    bulk: 'removeMany',
    running: 'removing',
    done: 'removed',
    doneMany: 'removedMany',
    icon: Trash2,
    danger: true,
    send: ({ id }) => removeToken(id),
  },
} satisfies RecordActions<Token, 'token'>;

/** Enables, disables and deletes tokens; `onRemove` asks before a deletion. */
export const useTokenActions = (onRemove: (tokens: readonly Token[], clear?: () => void) => void) =>
  useRecordActions('token', actions, {
    nameOf: ({ name }) => name,
    refresh: (client) => refresh(client, tokenApi.list, tokenApi.get),
    show: (client, name, tokens) => {
      if (name !== 'remove') showStatus(client, tokens, tokenStatus[name === 'enable' ? 'enabled' : 'disabled']);
    },
    ask: { remove: onRemove },
  });
