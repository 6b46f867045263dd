import type { SessionUser } from '@relay-hub/contract';
import { useState } from 'react';

/** The account's picture, or its initial. */
export function Avatar({ user }: { user: SessionUser }) {
  const [broken, setBroken] = useState('');
  const { avatar_url: picture, username } = user;
  if (picture && picture !== broken)
    return (
      <img
        src={picture}
        alt=""
        className="size-8 flex-none rounded-full object-cover"
        onError={() => setBroken(picture)}
      />
    );
  return (
    <span
      aria-hidden
      className="grid size-8 flex-none place-items-center rounded-full bg-accent-soft text-13 font-medium text-accent"
    >
      {(Array.from(username)[0] ?? '?').toUpperCase()}
    </span>
  );
}
