import { useSyncExternalStore } from 'react';

export type ToastKind = 'success' | 'warning' | 'error';
export interface Toast {
  id: number;
  kind: ToastKind;
  text: string;
  /** A link below the text to a screen that solves the problem. */
  link?: ToastLink | undefined;
}

export interface ToastLink {
  label: string;
  /** A path of the app, with search parameters. */
  href: string;
}

export const TOAST_CLOSE_MS = 5000;
/** Limit of all pauses of a toast together. */
export const TOAST_MAX_PAUSE_MS = 30_000;
/** Many connections can end at the same time; only the newest toasts are shown. */
const MAX_TOASTS = 3;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

export function showToast(kind: ToastKind, text: string, link?: ToastLink): void {
  lastId += 1;
  // A repeated message restarts its five seconds instead of being shown twice.
  change([...toasts.filter((toast) => toast.text !== text), { id: lastId, kind, text, link }].slice(-MAX_TOASTS));
}

export function closeToast(id: number): void {
  change(toasts.filter((toast) => toast.id !== id));
}

export function clearToasts(): void {
  change([]);
}

export function useToasts(): readonly Toast[] {
  return useSyncExternalStore(subscribe, currentToasts);
}

export function currentToasts(): readonly Toast[] {
  return toasts;
}

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
