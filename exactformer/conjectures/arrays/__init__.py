"""Conclusions proved for thousands of instances at once; what they leave open is judged one by one."""
