import { Music } from 'lucide-react';
import { useState } from 'react';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';

/** The cover of a song; an icon without one, or when it cannot be loaded. */
export function Cover({ url, large = false }: { url: string; large?: boolean }) {
  const [broken, setBroken] = useState(false);
  return (
    <span
      className={cx(
        'grid flex-none place-items-center overflow-hidden bg-fill text-text3',
        large ? 'size-36 rounded-card max-sm:size-24' : 'size-10 rounded-tile',
      )}
    >
      {url !== '' && !broken ? (
        <img src={url} alt="" loading="lazy" onError={() => setBroken(true)} className="size-full object-cover" />
      ) : (
        <Icon of={Music} size={18} />
      )}
    </span>
  );
}
