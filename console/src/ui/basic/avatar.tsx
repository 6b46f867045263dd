import { useState } from 'react';
import { cx } from './cx.ts';

const sizes = { 64: 'size-16 text-24', 48: 'size-12 text-18', 32: 'size-8 text-13', 28: 'size-7 text-12' };
const tones = { accent: 'bg-accent-soft text-accent', neutral: 'bg-fill text-text2' };

interface Props {
  user: { username: string; avatar_url: string };
  size?: keyof typeof sizes;
  /** `neutral` for lists of avatars. */
  tone?: keyof typeof tones;
}

/** An account's picture or initial. Decorative; show the name next to it. */
export function Avatar({ user, size = 32, tone = 'accent' }: Props) {
  const [broken, setBroken] = useState('');
  const { avatar_url: picture, username } = user;
  if (picture && picture !== broken)
    return (
      <img
        src={picture}
        alt=""
        loading="lazy"
        referrerPolicy="no-referrer"
        className={cx('flex-none rounded-full object-cover', sizes[size])}
        onError={() => setBroken(picture)}
      />
    );
  return (
    <span
      aria-hidden
      // By CSS, not as text: readers, copy and search must find only the name next to it.
      data-initial={(Array.from(username)[0] ?? '?').toUpperCase()}
      className={cx(
        'grid flex-none place-items-center rounded-full font-medium before:content-[attr(data-initial)]',
        sizes[size],
        tones[tone],
      )}
    />
  );
}
