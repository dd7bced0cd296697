import { Link, useNavigate } from '@tanstack/react-router';
import type { ComponentType, ReactNode } from 'react';
import type { Target } from './links.ts';
import classes from './number-link.module.css';

/** The lists belong to other features, whose routes and parameters this one does not know. */
const AnyLink = Link as unknown as ComponentType<Target & { className: string | undefined; children: ReactNode }>;

/** For bars of charts, which cannot be link elements. */
export function useOpenTarget(): (target: Target) => void {
  const navigate = useNavigate() as unknown as (target: Target) => Promise<void>;
  return (target) => void navigate(target);
}

interface NumberLinkProps {
  target: Target;
  children: ReactNode;
}

/** A number that links to its rows. */
export function NumberLink({ target, children }: NumberLinkProps) {
  return (
    <AnyLink {...target} className={classes['link']}>
      {children}
    </AnyLink>
  );
}
