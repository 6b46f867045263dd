import { userAdminApi, type User } from '@relay-hub/contract';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useId, useState, type Ref } from 'react';
import { apiQuery } from '#api/api-query.ts';
import { useSession } from '#api/session.ts';
import { outranks } from '#domain/quota/outranks.ts';
import { Field } from '#ui/form/field.tsx';

const accountsLike = (keyword: string) =>
  queryOptions({
    ...apiQuery(userAdminApi.list, { query: { keyword, status: 1, size: 6 } }),
    placeholderData: keepPreviousData,
    enabled: keyword !== '',
  });

interface Props {
  label: string;
  hint: string;
  /** Shown when no account is found. */
  none: string;
  /** Id of an account that cannot be chosen. */
  without?: number | undefined;
  chosen: User | undefined;
  onChoose: (user: User | undefined) => void;
  inputRef: Ref<HTMLInputElement>;
}

/** A search for accounts that the viewer may manage, and those found as alternatives. */
export function AccountChoice({ label, hint, none, without, chosen, onChoose, inputRef }: Props) {
  const { user: me } = useSession();
  const [typed, setTyped] = useState('');
  const group = useId();
  const keyword = useDeferredValue(typed.trim());
  const { data } = useQuery(accountsLike(keyword));
  const found = keyword === '' ? [] : (data?.data ?? []);
  const users = found.filter((user) => user.id !== without && (user.id === me?.id || outranks(me, user)));
  return (
    <div className="grid grid-cols-1 gap-2">
      <Field label={label} hint={hint}>
        {(aria) => (
          <input
            {...aria}
            ref={inputRef}
            className="box"
            autoComplete="off"
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value);
              onChoose(undefined);
            }}
          />
        )}
      </Field>
      <div role="radiogroup" aria-label={label} className="grid grid-cols-1">
        {users.map((user) => (
          <label
            key={user.id}
            className="flex min-h-9 cursor-pointer items-center gap-2.5 rounded-control px-2.5 hover:bg-hover max-sm:min-h-11"
          >
            <input
              type="radio"
              name={group}
              className="accent-(--color-accent-fill)"
              checked={chosen?.id === user.id}
              onChange={() => onChoose(user)}
            />
            <span className="min-w-0 truncate">{user.username}</span>
            <span className="text-13 text-text3">#{user.id}</span>
            <span className="ml-auto min-w-0 truncate text-13 text-text2">{user.email || user.display_name}</span>
          </label>
        ))}
      </div>
      <p role="status" className="text-13 text-text2">
        {keyword !== '' && data && users.length === 0 ? none : ''}
      </p>
    </div>
  );
}
