import { Link } from '@tanstack/react-router';
import { atBase } from '#base-path.ts';
import { useSite, useSiteName } from '#api/site.ts';
import { cx } from '#ui/basic/cx.ts';
import { Logo } from './logo.tsx';

/** Logo and name of the site; links to the home page. */
export function Brand({ size = 26, className }: { size?: number; className?: string }) {
  const logo = useSite()?.logo;
  return (
    <Link to="/" className={cx('flex min-w-0 items-center gap-2.5 font-medium text-text', className)}>
      {logo ? (
        <img src={atBase(logo)} alt="" style={{ height: size }} className="max-w-32 flex-none object-contain" />
      ) : (
        <Logo size={size} />
      )}
      <span className="truncate">{useSiteName()}</span>
    </Link>
  );
}
