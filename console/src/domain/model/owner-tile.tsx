import { useState } from 'react';
import { atBase } from '#base-path.ts';
import { Mark, tileLook } from '#ui/basic/mark.tsx';
import { markNames } from '#ui/basic/mark-names.ts';
import { markOf } from './mark-of.ts';

interface Props {
  name: string;
  /** Name of a mark, or an image address set by an operator; otherwise, or if it fails to load, the name decides. */
  icon?: string | undefined;
  size?: 32 | 24 | 20 | undefined;
  /** The icon is not saved yet, so the server does not serve it. */
  unsaved?: true;
}

/** Longer addresses do not fit into another one. */
const LONGEST = 2_000;

/** An address at another host, by way of this server, which caches it: visitors send nothing to that host. */
const servedIcon = (address: string): string =>
  /^https?:/.test(address) && address.length <= LONGEST
    ? `/icons/from?${new URLSearchParams({ src: address })}`
    : address;

/** Mark, image or initial of a model owner or provider. Decorative; show the name next to it. */
export function OwnerTile({ name, icon, size = 24, unsaved }: Props) {
  const [broken, setBroken] = useState('');
  const address = icon && /^(https?:|\/|data:image\/)/.test(icon) && icon !== broken ? icon : undefined;
  if (!address) return <Mark name={name} mark={icon && markNames.has(icon) ? icon : markOf(name)} size={size} />;
  return (
    <span aria-hidden className={tileLook(size)}>
      <img
        src={atBase(unsaved ? address : servedIcon(address))}
        alt=""
        loading="lazy"
        className="size-[70%] object-contain"
        referrerPolicy="no-referrer"
        onError={() => setBroken(address)}
      />
    </span>
  );
}
