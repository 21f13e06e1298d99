/* Padding of so many bytes: it moves the code and the data that are linked behind it by as much. */
    .globl PAD_NAME
    .text
PAD_NAME:
    .skip PAD_SIZE, 0x90
    .data
    .skip PAD_SIZE
    .section .note.GNU-stack, "", %progbits
