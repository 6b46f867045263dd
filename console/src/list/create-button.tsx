import { Plus } from 'lucide-react';
import { Button } from '#ui/basic/button.tsx';
import { preloadOn } from './preload-on.ts';

interface Props {
  label: string;
  /** Loads the form's code before the press. */
  preload: () => unknown;
  onCreate: () => void;
}

/** Opens the form for a new record. */
export function CreateButton({ label, preload, onCreate }: Props) {
  return (
    <Button variant="primary" icon={Plus} {...preloadOn(preload)} onClick={onCreate}>
      {label}
    </Button>
  );
}
