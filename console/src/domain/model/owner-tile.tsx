import { useState } from 'react';
import { cx } from '#ui/basic/cx.ts';

interface Props {
  name: string;
  /** Image address set by an operator; otherwise, or if it fails to load, the initial is shown. */
  icon?: string | undefined;
  size?: 32 | 24 | 20 | undefined;
}

const sizes = {
  32: 'size-8 rounded-control text-14',
  24: 'size-6 rounded-tile text-12',
  20: 'size-5 rounded-[5px] text-11',
};

/** Icon or initial of a model owner or provider. Decorative; show the name next to it. */
export function OwnerTile({ name, icon, size = 24 }: Props) {
  const [broken, setBroken] = useState('');
  const address = icon && /^(https?:|\/|data:image\/)/.test(icon) && icon !== broken ? icon : undefined;
  return (
    <span
      aria-hidden
      // By CSS, not as text: readers, copy and search must find only the name next to it.
      data-initial={address ? undefined : initial(name)}
      className={cx(
        'inline-grid flex-none place-items-center overflow-hidden bg-fill leading-none font-medium text-text2 uppercase before:content-[attr(data-initial)]',
        sizes[size],
      )}
    >
      {address && (
        <img
          src={address}
          alt=""
          loading="lazy"
          className="size-[70%] object-contain"
          referrerPolicy="no-referrer"
          onError={() => setBroken(address)}
        />
      )}
    </span>
  );
}

/** The first letter or digit: `[Claude] x` → `C`, `通义` → `通`. */
function initial(name: string): string {
  return /[\p{L}\p{N}]/u.exec(name)?.[0] ?? '?';
}
