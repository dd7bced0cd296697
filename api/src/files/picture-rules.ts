/** What all checks of pictures share. */
import { AppError } from '@cellhop/contract/errors';
import { PICTURE_PIXELS_MAX, PICTURE_SIDE_MAX } from '@cellhop/contract/limits';

export function damaged(): AppError {
  return new AppError('FILE_DAMAGED');
}

/** Before anything is decoded: who opens a picture needs memory for all of its pixels. @throws AppError FILE_DAMAGED, PICTURE_TOO_LARGE */
export function checkPixels(width: number, height: number): void {
  if (width === 0 || height === 0) throw damaged();
  if (width > PICTURE_SIDE_MAX || height > PICTURE_SIDE_MAX || width * height > PICTURE_PIXELS_MAX)
    throw new AppError('PICTURE_TOO_LARGE', { side: PICTURE_SIDE_MAX });
}
