import { Download } from 'lucide-react';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';

/** Downloads a list as a file; an icon on phones. */
export function ExportLink({ label, href }: { label: string; href: string }) {
  return useIsPhone() ? (
    <IconButton
      label={label}
      icon={Download}
      variant="default"
      render={<a href={href} download aria-label={label} />}
    />
  ) : (
    <Button icon={Download} render={<a href={href} download />}>
      {label}
    </Button>
  );
}
